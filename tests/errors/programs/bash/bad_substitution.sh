name=world
echo "${name!}"
