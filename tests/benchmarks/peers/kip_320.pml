/* KIP-320 in Promela, for SPIN: the protocol of `epochal check kip-320`, step by step and state by state.
 *
 * Three replicas; LOG offsets (at most 4), RECORDS records and epochs 0 to MAX_EPOCH are given with -D. One process has
 * one loop, and each step of the specification for each choice of its parameters is one option of it: so SPIN's stored
 * states and transitions are those that Epochal counts. An epoch and a record are kept as numbers that begin with 1, and
 * 0 is none; what lies beyond the end of a log is 0.
 */

#ifndef LOG
#define LOG 2
#endif
#ifndef RECORDS
#define RECORDS 2
#endif
#ifndef MAX_EPOCH
#define MAX_EPOCH 2
#endif

#define EPOCHS (MAX_EPOCH + 1)
#define IN(set, r) ((set >> (r)) & 1)
#define ONLY(r) (1 << (r))

typedef Replica {
	byte log[LOG];    /* a record: 1 + its id times EPOCHS + its epoch */
	byte end;
	byte hw;
	byte epoch;       /* 1 + the epoch, 0 before the first */
	byte leader;      /* 1 + the replica, 0 for none */
	byte isr
};

typedef LeaderAndIsr {
	byte leader;
	byte isr
};

byte next_record;
Replica replica[3];
byte quorum_leader;
byte quorum_isr = 7;
byte latest;                     /* how many requests there are, which is 1 + the quorum's epoch */
LeaderAndIsr request[EPOCHS];

#define R(r) replica[r]
#define PRESUMES(r) (R(r).leader == (r) + 1)
#define IS_TRUE_LEADER(r) (PRESUMES(r) && quorum_leader == (r) + 1 && R(r).epoch == latest)
#define FOLLOWS_EPOCH(f, r) (PRESUMES(r) && R(f).leader == (r) + 1 && R(f).epoch == R(r).epoch)
#define HW_IS_CURRENT(r) \
	(R(r).hw == R(r).end || (R(r).hw < R(r).end && (R(r).log[R(r).hw] - 1) % EPOCHS == R(r).epoch - 1))

#define SEND(new_leader, new_isr) \
	quorum_isr = new_isr; quorum_leader = new_leader; \
	request[latest].leader = quorum_leader; request[latest].isr = quorum_isr; latest++

#define TAKE(r, e) \
	R(r).epoch = (e) + 1; R(r).leader = request[e].leader; R(r).isr = request[e].isr

#define ELECT(r) \
	:: d_step { latest < EPOCHS && IN(quorum_isr, r) && quorum_leader != (r) + 1 -> SEND((r) + 1, quorum_isr) }

#define CONTROLLER_SHRINKS(r) \
	:: d_step { latest < EPOCHS && (quorum_leader == (r) + 1 || IN(quorum_isr, r)) -> \
		if \
		:: quorum_leader == (r) + 1 && quorum_isr == ONLY(r) -> SEND(0, quorum_isr) \
		:: quorum_leader == (r) + 1 && quorum_isr != ONLY(r) -> SEND(0, quorum_isr & ~ONLY(r)) \
		:: else -> SEND(quorum_leader, quorum_isr & ~ONLY(r)) \
		fi }

#define BECOME_LEADER(r, e) \
	:: d_step { (e) < latest && request[e].leader == (r) + 1 && (e) + 1 > R(r).epoch -> TAKE(r, e) }

#define WRITE(r) \
	:: d_step { PRESUMES(r) && next_record < RECORDS && R(r).end < LOG -> \
		R(r).log[R(r).end] = 1 + next_record * EPOCHS + R(r).epoch - 1; R(r).end++; next_record++ }

#define LEADER_SHRINKS(r, f) \
	:: d_step { IN(R(r).isr, f) && IS_TRUE_LEADER(r) && (!FOLLOWS_EPOCH(f, r) || R(f).end < R(r).end) -> \
		R(r).isr = R(r).isr & ~ONLY(f); quorum_isr = R(r).isr }

#define LEADER_EXPANDS(r, f) \
	:: d_step { !IN(R(r).isr, f) && FOLLOWS_EPOCH(f, r) && (R(r).hw == 0 || R(r).hw - 1 < R(f).end) \
			&& HW_IS_CURRENT(r) && IS_TRUE_LEADER(r) -> \
		R(r).isr = R(r).isr | ONLY(f); quorum_isr = R(r).isr }

#define HOLDS(r, f) (!IN(R(r).isr, f) || (FOLLOWS_EPOCH(f, r) && R(r).hw < R(f).end))
#define ADVANCE(r) \
	:: d_step { R(r).hw < R(r).end && HOLDS(r, 0) && HOLDS(r, 1) && HOLDS(r, 2) -> R(r).hw++ }

/* The follower cuts its log back to where the two logs last agree. */
#define BECOME_FOLLOWER(f, r, e) \
	:: d_step { PRESUMES(r) && R(r).epoch == (e) + 1 && (e) < latest && request[e].leader == (r) + 1 \
			&& (e) + 1 > R(f).epoch -> \
		do \
		:: R(f).end > 0 && R(f).log[R(f).end - 1] != R(r).log[R(f).end - 1] -> R(f).end--; R(f).log[R(f).end] = 0 \
		:: else -> break \
		od; \
		if \
		:: R(f).hw > R(f).end -> R(f).hw = R(f).end \
		:: else -> skip \
		fi; \
		TAKE(f, e) }

#define FETCH(f, r) \
	:: d_step { FOLLOWS_EPOCH(f, r) && R(f).end < R(r).end -> \
		R(f).log[R(f).end] = R(r).log[R(f).end]; R(f).end++; \
		R(f).hw = (R(r).hw < R(f).end -> R(r).hw : R(f).end) }

#define PAIR(f, r) LEADER_SHRINKS(r, f) LEADER_EXPANDS(r, f) FETCH(f, r)
#define ALONE(r) ELECT(r) CONTROLLER_SHRINKS(r) WRITE(r) ADVANCE(r)
#define IN_EPOCH(e) \
	BECOME_LEADER(0, e) BECOME_LEADER(1, e) BECOME_LEADER(2, e) \
	BECOME_FOLLOWER(1, 0, e) BECOME_FOLLOWER(2, 0, e) BECOME_FOLLOWER(0, 1, e) \
	BECOME_FOLLOWER(2, 1, e) BECOME_FOLLOWER(0, 2, e) BECOME_FOLLOWER(1, 2, e)

/* The invariants: below a presumed leader's high watermark the members of an ISR hold its records. */
#define SAME(a, b, o) (o >= R(a).hw || (R(a).log[o] != 0 && R(a).log[o] == R(b).log[o]))
#if LOG == 1
#define AGREE(a, b) SAME(a, b, 0)
#elif LOG == 2
#define AGREE(a, b) (SAME(a, b, 0) && SAME(a, b, 1))
#elif LOG == 3
#define AGREE(a, b) (SAME(a, b, 0) && SAME(a, b, 1) && SAME(a, b, 2))
#elif LOG == 4
#define AGREE(a, b) (SAME(a, b, 0) && SAME(a, b, 1) && SAME(a, b, 2) && SAME(a, b, 3))
#endif
#define SAFE_OF(r, f) (!(IN(R(r).isr, f) || IN(quorum_isr, f)) || AGREE(r, f))
#define SAFE(r) (!PRESUMES(r) || (SAFE_OF(r, 0) && SAFE_OF(r, 1) && SAFE_OF(r, 2)))

active proctype protocol() {
end:	do
	ALONE(0) ALONE(1) ALONE(2)
	PAIR(1, 0) PAIR(2, 0) PAIR(0, 1) PAIR(2, 1) PAIR(0, 2) PAIR(1, 2)
	IN_EPOCH(0)
#if MAX_EPOCH >= 1
	IN_EPOCH(1)
#endif
#if MAX_EPOCH >= 2
	IN_EPOCH(2)
#endif
#if MAX_EPOCH >= 3
	IN_EPOCH(3)
#endif
	:: !(SAFE(0) && SAFE(1) && SAFE(2)) -> assert(false)
	od
}
