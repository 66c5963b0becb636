yes
