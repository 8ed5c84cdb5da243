"""Share groups (KIP-932): members of a group take records of one partition in turns, and acknowledge each of them.

One share partition of one group. The leader of the topic partition has it in memory: which records are in flight, who
has them, how often they were delivered. What must outlast the leader it writes to the share coordinator, whose state is
a replicated log (`__share_group_state`) with snapshots and updates. Leaders change, the coordinator fails over, writes
come late and twice, records are deleted, and an administrator sets the group back.

Read `state`, `coordinator`, `leader`, `group`, then `properties`; `switches` takes one rule away at a time, and
`unclean` has unclean elections.
"""
