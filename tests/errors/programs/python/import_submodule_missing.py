import os
import numpy.linear
