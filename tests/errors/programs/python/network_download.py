import urllib.request

print(urllib.request.urlopen("https://example.com/data.csv").read())
