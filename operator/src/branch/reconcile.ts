import { type Branch, branches } from '../crds/mod.ts'
import { isPaused, statusChanges } from '../runs/mod.ts'
import {
  ApiError,
  addFinalizer,
  conditionOf,
  done,
  isBeingDeleted,
  type KubeObject,
  keyOf,
  type Reconcile,
  type Resource,
  type Result,
  requeueAfter,
  type Store,
} from '../runtime/mod.ts'
import { type Service, type StatefulSet, services, statefulSets } from './child-kinds.ts'
import { type Applied, keyVersionOf, serviceFor, statefulSetFor } from './children.ts'
import { correction, covers } from './covers.ts'
import { type BranchDependencies, childKey, podOf, slugIndex } from './dependencies.ts'
import { ensureSecret, isOwnedBy } from './key.ts'
import { namesOf } from './names.ts'
import { podConditionOf } from './pod-condition.ts'
import { choosePort } from './port.ts'
import { isLongOverdue, rehearsePod } from './rehearse-pod.ts'
import { finalizer, releaseBranch } from './release.ts'
import { slugHolder, slugOf } from './slug.ts'
import { type AssignedFields, branchStatus, type Finding, judge } from './status.ts'
import { growVolume } from './volume.ts'

/** Field manager of server-side apply; applied fields are taken over from other managers. */
const fieldManager = 'trellis-operator'

/** Milliseconds after which a rejected write is retried: a quota may be raised, or a storage class fixed. */
const refusalLasts = 60_000
/** Milliseconds after which a name that belongs to another object is checked again. */
const nameTakenLasts = 5_000

/** The operator may not list or watch Secrets, and the status of a StatefulSet does not show that its pod is rejected. Milliseconds. */
const defaultCheckEvery = 30_000

type Look = { finding: Finding; assigned: AssignedFields }

/** Rejections that users must see: a quota, a policy, an invalid value. */
const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError && [400, 403, 422].includes(error.status)

/** Applies an object unless it exists as desired. Returns the resulting object. */
const apply = async <T extends KubeObject & { spec?: unknown }>(
  { client, log }: BranchDependencies,
  { kind, live, desired }: { kind: Resource<T>; live: T | undefined; desired: Applied<T> },
  signal: AbortSignal,
): Promise<T> => {
  const { metadata, spec } = desired
  if (live && covers(live, { metadata, spec })) return live
  const patch = { type: 'apply', body: desired, fieldManager, force: true } as const
  const written = await client.patch(kind, metadata, patch, { signal })
  // The server may represent a value differently from what was applied: then nothing has changed.
  if (live && written.metadata.resourceVersion !== live.metadata.resourceVersion)
    log.info({ object: keyOf(live.metadata), kind: kind.kind }, 'repair: an object of a branch is corrected')
  return written
}

/**
 * Applies the Service and removes foreign entries from its selector and ports, which would route senders elsewhere.
 */
const applyService = async (
  dependencies: BranchDependencies,
  { live, desired }: { live: Service | undefined; desired: Applied<Service> },
  signal: AbortSignal,
) => {
  const selector = live && correction(live.spec?.selector, desired.spec.selector)
  const ports = live && correction(live.spec?.ports, desired.spec.ports)
  if (selector || ports) {
    const body = { spec: { ...(selector ? { selector } : {}), ...(ports ? { ports } : {}) } }
    await dependencies.client.patch(services, desired.metadata, { type: 'merge', body }, { signal })
    dependencies.log.info(
      { object: keyOf(desired.metadata), kind: 'Service' },
      'repair: a Service of a branch is corrected',
    )
  }
  await apply(dependencies, { kind: services, live, desired }, signal)
}

/** Describes an object in the way: one with a name of this Branch that the Branch does not control. */
const foreign = (branch: Branch, dependencies: BranchDependencies): string | undefined => {
  const names = namesOf(branch)
  const stranger = <T extends KubeObject>(what: string, name: string, store: Store<T>) => {
    const held = store.get(childKey(branch, name))
    return held && !isOwnedBy(held, branch) ? `${what} ${name}` : undefined
  }
  const claim = dependencies.claims.get(childKey(branch, names.claim))
  return (
    stranger('StatefulSet', names.statefulSet, dependencies.statefulSets) ??
    stranger('Service', names.service, dependencies.services) ??
    (claim && isBeingDeleted(claim) ? `volume claim ${names.claim}` : undefined)
  )
}

/** Returns the Secret of a Branch, creating it if it is missing; records an event if that replaces a former one. */
const secretOf = async (branch: Branch, dependencies: BranchDependencies, signal: AbortSignal) => {
  const { secret, isNew } = await ensureSecret(dependencies.client, branch, dependencies.settings, { signal })
  if (isNew && branch.status.secretName === secret.metadata.name) {
    dependencies.log.info(
      { object: keyOf(secret.metadata) },
      'repair: the Secret of a branch is made again, with another key',
    )
    dependencies.recorder.record(branches, branch, {
      type: 'Warning',
      reason: 'KeyReplaced',
      action: 'MakeSecret',
      note: `The Secret ${secret.metadata.name} was gone. A new one was created with another key: configure the senders with it.`,
    })
  }
  return secret
}

/** Throws the rejection of a pod that is long overdue, if the API server rejects it. */
const checkOverduePod = async (
  branch: Branch,
  set: StatefulSet,
  { client, clock, checkEvery = defaultCheckEvery }: BranchDependencies,
  signal: AbortSignal,
): Promise<void> => {
  if (branch.spec.state === 'Inactive' || !isLongOverdue(branch, checkEvery, clock.now())) return
  await rehearsePod(branch, set, client, { signal })
}

/** Brings all child objects to the desired state and returns the observed state. */
const look = async (branch: Branch, dependencies: BranchDependencies, signal: AbortSignal): Promise<Look> => {
  const { metadata } = branch
  const slug = slugOf(branch)
  const holder = slugHolder(branch, dependencies.branches.by(slugIndex, slug))
  if (holder)
    return {
      finding: { kind: 'slugTaken', by: keyOf(holder.metadata), isGoing: isBeingDeleted(holder) },
      assigned: {},
    }
  const others = dependencies.branches.list().filter((other) => other.metadata.uid !== metadata.uid)
  const choice = choosePort(branch, others)
  if (choice.kind === 'none') return { finding: { kind: 'noPort' }, assigned: {} }
  if (choice.kind === 'taken')
    return { finding: { kind: 'portTaken', port: choice.port, by: keyOf(choice.by.metadata) }, assigned: {} }
  const stranger = foreign(branch, dependencies)
  if (stranger) return { finding: { kind: 'nameTaken', what: stranger }, assigned: {} }

  const { port } = choice
  const names = namesOf(branch)
  const submitEndpoint = `${dependencies.edgeUrl}/logs/branches/${slug}/api/glean/batch`
  const assigned = { port, submitEndpoint, secretName: names.secret }
  const secret = await secretOf(branch, dependencies, signal)
  if (!isOwnedBy(secret, branch))
    return { finding: { kind: 'nameTaken', what: `Secret ${names.secret}` }, assigned: {} }
  const service = dependencies.services.get(childKey(branch, names.service))
  await applyService(dependencies, { live: service, desired: serviceFor(branch, port, dependencies.settings) }, signal)
  const live = dependencies.statefulSets.get(childKey(branch, names.statefulSet))
  const desired = statefulSetFor(branch, { keyVersion: keyVersionOf(secret), live }, dependencies.settings)
  const set = await apply(dependencies, { kind: statefulSets, live, desired }, signal)
  const growth = await growVolume(branch, dependencies.claims.get(childKey(branch, names.claim)), dependencies, {
    signal,
  })
  const pod = podOf(dependencies, branch, set)
  if (!pod) await checkOverduePod(branch, set, dependencies, signal)
  const isUpdated =
    (set.status?.observedGeneration ?? 0) >= (set.metadata.generation ?? 0) &&
    pod?.metadata.labels?.['controller-revision-hash'] === set.status?.updateRevision
  return { finding: { kind: 'running', port, pod: podConditionOf(pod), isUpdated, growth }, assigned }
}

/** Like `look`, but turns a rejection into a finding for the status. */
const lookOrRefusal = async (branch: Branch, dependencies: BranchDependencies, signal: AbortSignal): Promise<Look> => {
  try {
    return await look(branch, dependencies, signal)
  } catch (error) {
    if (!isRefusal(error)) throw error
    return { finding: { kind: 'refused', message: error.message }, assigned: {} }
  }
}

/** Records an event when a problem begins. */
const recordTrouble = (branch: Branch, finding: Finding, { recorder }: BranchDependencies) => {
  const { progress, reason, message } = judge(branch, finding)
  const isNewReason = conditionOf(branch.status.conditions, 'Stalled')?.reason !== reason
  if (progress === 'stalled' && isNewReason)
    recorder.record(branches, branch, { type: 'Warning', reason, action: 'Reconcile', note: message })
}

const settle = async (
  branch: Branch,
  { finding, assigned }: Look,
  dependencies: BranchDependencies,
  signal: AbortSignal,
) => {
  const changes = statusChanges(
    branch.status,
    branchStatus(branch, { finding, assigned, now: dependencies.clock.now() }),
  )
  if (!changes) return
  recordTrouble(branch, finding, dependencies)
  const patch = { type: 'merge', body: { status: changes } } as const
  const written = await dependencies.client.patch(branches, branch.metadata, patch, { subresource: 'status', signal })
  // Ports are assigned from the statuses in the cache.
  dependencies.branches.wrote(written)
}

const lookAgain = (finding: Finding, { checkEvery = defaultCheckEvery }: BranchDependencies): Result => {
  const isRefused = finding.kind === 'refused' || (finding.kind === 'running' && finding.growth.kind === 'refused')
  if (isRefused) return requeueAfter(refusalLasts)
  if (finding.kind === 'nameTaken') return requeueAfter(nameTakenLasts)
  return finding.kind === 'running' ? requeueAfter(checkEvery) : done
}

/** Reconciles the Secret, the Service, the StatefulSet and the volume of a Branch, and its status. */
export const reconcileBranch =
  (dependencies: BranchDependencies): Reconcile =>
  async (key, { signal }) => {
    const cached = dependencies.branches.get(key)
    if (!cached || isPaused(cached)) return done
    if (isBeingDeleted(cached)) return releaseBranch(cached, dependencies, signal)
    const branch = await addFinalizer(dependencies.client, branches, cached, finalizer, { signal })
    const found = await lookOrRefusal(branch, dependencies, signal)
    await settle(branch, found, dependencies, signal)
    return lookAgain(found.finding, dependencies)
  }
