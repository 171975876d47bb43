import { isLive, podStateOf } from '../runs/mod.ts'
import { type Clock, compareVersions, keyOf, type Store } from '../runtime/mod.ts'
import { keepOfPod, type Pod } from '../workers/mod.ts'

/** The pods of runs, as the cache has them or, where that is behind, as the server answered this process. */
export type OwnPods = {
  /** The pods that name the object of this uid as an owner. */
  of: (ownerUid: string) => Pod[]
  /** Whether one of them may be at work. */
  hasLive: (ownerUid: string) => boolean
  /** Takes an answer of the server: a pod that was made, claimed or found for its owner. */
  note: (ownerUid: string, pod: Pod) => void
  /** Takes an answer of the server: a pod that no node had is deleted. The cache may show it for a moment more. */
  removed: (pod: Pod) => void
  forget: (ownerUid: string) => void
}

/** Milliseconds after which an answer that the cache never came to show is not believed any more. */
const believed = 60_000

export const createOwnPods = ({ pods, clock }: { pods: Store<Pod>; clock: Clock }): OwnPods => {
  const answers = new Map<string, { pod: Pod; until: number }[]>()
  /** Until when a pod that the server deleted is hidden, by its uid. */
  const hidden = new Map<string, number>()
  const withdraw = ({ metadata }: Pod) => {
    for (const { uid } of metadata.ownerReferences ?? []) {
      const left = (answers.get(uid) ?? []).filter(({ pod }) => pod.metadata.uid !== metadata.uid)
      if (left.length > 0) answers.set(uid, left)
      else answers.delete(uid)
    }
  }
  pods.onChange(({ type, object }) => {
    if (type !== 'deleted') return
    hidden.delete(object.metadata.uid)
    withdraw(object)
  })

  const isAhead = ({ pod: { metadata }, until }: { pod: Pod; until: number }): boolean => {
    const cached = pods.get(keyOf(metadata))
    if (clock.monotonic() >= until) return false
    return (
      cached?.metadata.uid !== metadata.uid ||
      compareVersions(cached.metadata.resourceVersion, metadata.resourceVersion) < 0
    )
  }

  const isHidden = ({ metadata: { uid } }: Pod): boolean => {
    const until = hidden.get(uid)
    if (until === undefined) return false
    if (clock.monotonic() < until) return true
    hidden.delete(uid)
    return false
  }

  const of = (ownerUid: string): Pod[] => {
    const cached = pods.by('owner', ownerUid).filter((pod) => !isHidden(pod))
    const held = answers.get(ownerUid)
    if (!held) return cached
    const ahead = held.filter(isAhead)
    if (ahead.length === 0) {
      answers.delete(ownerUid)
      return cached
    }
    const answered = new Set(ahead.map(({ pod }) => pod.metadata.uid))
    return [...cached.filter(({ metadata }) => !answered.has(metadata.uid)), ...ahead.map(({ pod }) => pod)]
  }

  return {
    of,
    hasLive: (ownerUid) => of(ownerUid).some((pod) => isLive(podStateOf(pod))),
    note: (ownerUid, pod) => {
      const others = (answers.get(ownerUid) ?? []).filter((answer) => answer.pod.metadata.uid !== pod.metadata.uid)
      answers.set(ownerUid, [...others, { pod: keepOfPod(pod), until: clock.monotonic() + believed }])
    },
    removed: (pod) => {
      hidden.set(pod.metadata.uid, clock.monotonic() + believed)
      withdraw(pod)
    },
    forget: (ownerUid) => void answers.delete(ownerUid),
  }
}
