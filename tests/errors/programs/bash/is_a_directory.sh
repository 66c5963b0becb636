echo x > /tmp
