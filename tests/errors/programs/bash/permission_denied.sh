./tool.sh
