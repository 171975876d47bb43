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
import { type Service, services, statefulSets } from './child-kinds.ts'
import { type Applied, keyVersionOf, serviceFor, statefulSetFor } from './children.ts'
import { correction, covers } from './covers.ts'
import { type BranchDependencies, childKey, podOf, slugIndex } from './dependencies.ts'
import { ensureSecret, isOwnedBy } from './key.ts'
import { namesOf } from './names.ts'
import { podConditionOf } from './pod-condition.ts'
import { choosePort } from './port.ts'
import { finalizer, releaseBranch } from './release.ts'
import { slugHolder, slugOf } from './slug.ts'
import { branchStatus, type Finding, judge, type PublishedUpdates } from './status.ts'
import { growVolume } from './volume.ts'

/** What the operator applies is its own, whoever else has touched it. */
const fieldManager = 'trellis-operator'

/** Milliseconds after which what the API server refused is tried again: a quota may be raised, a storage class mended. */
const refusalLasts = 60_000
/** Milliseconds after which a name that is another's is looked at again. */
const nameTakenLasts = 5_000

/** Milliseconds after which the Secret of a Branch is looked at: the operator may not list or watch Secrets. */
const secretsLookedAt = 30_000

type Look = { finding: Finding; reported: PublishedUpdates }

/** Refusals that people have to read: a quota, a policy, a value that is not allowed. */
const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError && [400, 403, 422].includes(error.status)

/** Applies an object unless it is there as it should be. Gives what is there then. */
const apply = async <T extends KubeObject & { spec?: unknown }>(
  { client, log }: BranchDependencies,
  { kind, live, desired }: { kind: Resource<T>; live: T | undefined; desired: Applied<T> },
  signal: AbortSignal,
): Promise<T> => {
  const { metadata, spec } = desired
  if (live && covers(live, { metadata, spec })) return live
  if (live) log.info({ object: keyOf(live.metadata), kind: kind.kind }, 'repair: an object of a branch is corrected')
  const patch = { type: 'apply', body: desired, fieldManager, force: true } as const
  return client.patch(kind, metadata, patch, { signal })
}

/** The Service, whose selector and ports are ours alone: one more of either, and senders end somewhere else. */
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

/** What is in the way: something of one of the names that is not this Branch's. */
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

/** The Secret of a Branch: the one that is there, or a new one, of which people are told where there was another before. */
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
      note: `The Secret ${secret.metadata.name} was gone. There is a new one with another key, which senders have to be given.`,
    })
  }
  return secret
}

/** Makes everything as it should be, and gives how it is. */
const look = async (branch: Branch, dependencies: BranchDependencies, signal: AbortSignal): Promise<Look> => {
  const { metadata } = branch
  const slug = slugOf(branch)
  const holder = slugHolder(branch, dependencies.branches.by(slugIndex, slug))
  if (holder)
    return {
      finding: { kind: 'slugTaken', by: keyOf(holder.metadata), isGoing: isBeingDeleted(holder) },
      reported: {},
    }
  const others = dependencies.branches.list().filter((other) => other.metadata.uid !== metadata.uid)
  const choice = choosePort(branch, others)
  if (choice.kind === 'none') return { finding: { kind: 'noPort' }, reported: {} }
  if (choice.kind === 'taken')
    return { finding: { kind: 'portTaken', port: choice.port, by: keyOf(choice.by.metadata) }, reported: {} }
  const stranger = foreign(branch, dependencies)
  if (stranger) return { finding: { kind: 'nameTaken', what: stranger }, reported: {} }

  const { port } = choice
  const names = namesOf(branch)
  const submitEndpoint = `${dependencies.edgeUrl}/logs/branches/${slug}/api/glean/batch`
  const reported = { port, submitEndpoint, secretName: names.secret }
  const secret = await secretOf(branch, dependencies, signal)
  if (!isOwnedBy(secret, branch))
    return { finding: { kind: 'nameTaken', what: `Secret ${names.secret}` }, reported: {} }
  const service = dependencies.services.get(childKey(branch, names.service))
  await applyService(dependencies, { live: service, desired: serviceFor(branch, port, dependencies.settings) }, signal)
  const live = dependencies.statefulSets.get(childKey(branch, names.statefulSet))
  const desired = statefulSetFor(branch, { keyVersion: keyVersionOf(secret), live }, dependencies.settings)
  const set = await apply(dependencies, { kind: statefulSets, live, desired }, signal)
  const growth = await growVolume(branch, dependencies.claims.get(childKey(branch, names.claim)), dependencies, {
    signal,
  })
  const pod = podOf(dependencies, branch, set)
  const isUpdated =
    (set.status?.observedGeneration ?? 0) >= (set.metadata.generation ?? 0) &&
    pod?.metadata.labels?.['controller-revision-hash'] === set.status?.updateRevision
  return { finding: { kind: 'running', port, pod: podConditionOf(pod), isUpdated, growth }, reported }
}

/** Looks, and takes a refusal for something that people have to be shown. */
const lookOrRefusal = async (branch: Branch, dependencies: BranchDependencies, signal: AbortSignal): Promise<Look> => {
  try {
    return await look(branch, dependencies, signal)
  } catch (error) {
    if (!isRefusal(error)) throw error
    return { finding: { kind: 'refused', message: error.message }, reported: {} }
  }
}

/** Tells of what has gone wrong, once, when it begins. */
const recordTrouble = (branch: Branch, finding: Finding, { recorder }: BranchDependencies) => {
  const { progress, reason, message } = judge(branch, finding)
  const isUnpublished = conditionOf(branch.status.conditions, 'Stalled')?.reason !== reason
  if (progress === 'stalled' && isUnpublished)
    recorder.record(branches, branch, { type: 'Warning', reason, action: 'Reconcile', note: message })
}

const settle = async (
  branch: Branch,
  { finding, reported }: Look,
  dependencies: BranchDependencies,
  signal: AbortSignal,
) => {
  const changes = statusChanges(
    branch.status,
    branchStatus(branch, { finding, reported, now: dependencies.clock.now() }),
  )
  if (!changes) return
  recordTrouble(branch, finding, dependencies)
  const patch = { type: 'merge', body: { status: changes } } as const
  const written = await dependencies.client.patch(branches, branch.metadata, patch, { subresource: 'status', signal })
  dependencies.branches.wrote(written)
}

const lookAgain = (finding: Finding, { secretsEvery = secretsLookedAt }: BranchDependencies): Result => {
  const isRefused = finding.kind === 'refused' || (finding.kind === 'running' && finding.growth.kind === 'refused')
  if (isRefused) return requeueAfter(refusalLasts)
  if (finding.kind === 'nameTaken') return requeueAfter(nameTakenLasts)
  return finding.kind === 'running' ? requeueAfter(secretsEvery) : done
}

/** Makes the Secret, the Service, the StatefulSet and the volume of a Branch what it says, and its status what they are. */
export const reconcileBranch =
  (dependencies: BranchDependencies): Reconcile =>
  async (key, { signal }) => {
    const cached = dependencies.branches.get(key)
    if (!cached || isPaused(cached)) return done
    if (isBeingDeleted(cached)) return releaseBranch(cached, dependencies, signal)
    // Ports are given by what the statuses say: the change that this process made last comes by itself.
    if (!dependencies.branches.isCurrent(key)) return done
    const branch = await addFinalizer(dependencies.client, branches, cached, finalizer, { signal })
    const found = await lookOrRefusal(branch, dependencies, signal)
    await settle(branch, found, dependencies, signal)
    return lookAgain(found.finding, dependencies)
  }
