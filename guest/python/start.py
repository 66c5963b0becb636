import glovebox_start

glovebox_start.run()
