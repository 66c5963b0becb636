count=0
echo $((10 / count))
