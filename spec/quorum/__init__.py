"""The KRaft metadata quorum: the variant of Raft by which the controllers agree on the metadata log (KIP-595).

Voters elect a leader for each epoch, and the others fetch from it; brokers are observers that apply what is committed.
Messages are not stored: a request and what it does at its receiver are one step, and an answer arrives with it or is
lost. A message that arrives so late that its sender has moved on is left out: all it could do is to tell its receiver
of an epoch, which `learn_epoch` does too. Timers are choices: whoever waits may stop waiting at any time.

Read `state`, then `election`, `replication`, `restart`, then `properties`; `quorum` puts them together, and
`switches` takes one rule away at a time, and `election_history` proves that an epoch has one leader. `change_log` joins
the quorum to `spec/kraft`, which trusts one controller and its log. In `reconfiguration` the voters change, and
`reconfiguration_switches` takes its rules away; its elections are those of `elections_in_one_step`.
So are those of `snapshots`, in which logs begin at a snapshot, with `snapshot_switches`.
"""
