größe = {"Ä": 1}; print(größe["Ä"] größe)
