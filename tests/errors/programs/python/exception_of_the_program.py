class TooFewRows(Exception):
    pass


raise TooFewRows("need 10 rows, have 3")
