"""What an answer rests on, so that one that is kept is never believed after any of it has changed.

`engine` is the code that decides and the versions that it runs on; every key of every cache is made by `engine.key`.
`specification` is what is asked about: its meaning as it is compiled, one of Epochal's own as it stands in this process
(`written`), the code that a mutant or other settings bring back (`reached`), and whether the code that runs is that of
the files (`as_in_files`).
"""
