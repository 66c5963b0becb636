gerp x /etc/hostname
