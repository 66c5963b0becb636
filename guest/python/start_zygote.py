import sys

sys.path.insert(1, "/glovebox/support")
import glovebox_warm

glovebox_warm.follow(glovebox_warm.live())
