"""What an answer rests on, so that one that is kept is never believed after any of it has changed.

`engine` is the code that decides and the versions that it runs on, `meaning` a specification as it is compiled, and
`written` one of Epochal's own as it stands in this process, `reached` the code that a mutant or other settings bring
back, and `in_files` whether the code that runs is that of the files. Every key of every cache is made by `engine.key`.
"""
