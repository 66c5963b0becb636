echo x > /usr/share/result.txt
