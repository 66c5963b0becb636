def solution(input):
    return input
