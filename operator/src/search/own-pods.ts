import { isLive, podStateOf } from '../runs/mod.ts'
import { type Clock, compareVersions, keyOf, type Store } from '../runtime/mod.ts'
import { type Pod, reducePod } from '../workers/mod.ts'

/** The pods of runs as in the cache or, where it lags, as in the server's responses to this process. */
export type OwnPods = {
  /** The pods owned by the object with this uid. */
  of: (ownerUid: string) => Pod[]
  /** Whether one of them may be working. */
  hasLive: (ownerUid: string) => boolean
  /** Records a server response: a pod that was created, claimed or found for its owner. */
  note: (ownerUid: string, pod: Pod) => void
  /** Records the deletion of an unscheduled pod. The cache may show it a moment longer. */
  removed: (pod: Pod) => void
  drop: (ownerUid: string) => void
}

/** Milliseconds after which a response that the cache never confirmed is discarded. */
const believed = 60_000

export const createOwnPods = ({ pods, clock }: { pods: Store<Pod>; clock: Clock }): OwnPods => {
  const answers = new Map<string, { pod: Pod; until: number }[]>()
  /** Until when a deleted pod is hidden, by its uid. */
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
      answers.set(ownerUid, [...others, { pod: reducePod(pod), until: clock.monotonic() + believed }])
    },
    removed: (pod) => {
      hidden.set(pod.metadata.uid, clock.monotonic() + believed)
      withdraw(pod)
    },
    drop: (ownerUid) => void answers.delete(ownerUid),
  }
}
