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
import { ensureSecret, isOwnedBy } from './key.ts'
import { namesOf } from './names.ts'
import { podConditionOf } from './pod-condition.ts'
import { choosePort } from './port.ts'
import { finalizer, releaseBranch } from './release.ts'
import { slugHolder, slugOf } from './slug.ts'
import { branchStatus, type Finding, judge, type Told } from './status.ts'
import { growVolume } from './volume.ts'
import { type BranchWorld, childKey, podOf, slugIndex } from './world.ts'

/** What the operator applies is its own, whoever else has touched it. */
const fieldManager = 'trellis-operator'

/** Milliseconds after which what the API server refused is tried again: a quota may be raised, a storage class mended. */
const refusalLasts = 60_000
/** Milliseconds after which a name that is another's is looked at again. */
const nameTakenLasts = 5_000

/** Milliseconds after which the Secret of a Branch is looked at: the operator may not list or watch Secrets. */
const secretsLookedAt = 30_000

type Look = { finding: Finding; told: Told }

/** Refusals that people have to read: a quota, a policy, a value that is not allowed. */
const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError && [400, 403, 422].includes(error.status)

/** Applies an object unless it is there as it should be. Gives what is there then. */
const apply = async <T extends KubeObject & { spec?: unknown }>(
  { client, log }: BranchWorld,
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
  world: BranchWorld,
  { live, desired }: { live: Service | undefined; desired: Applied<Service> },
  signal: AbortSignal,
) => {
  const selector = live && correction(live.spec?.selector, desired.spec.selector)
  const ports = live && correction(live.spec?.ports, desired.spec.ports)
  if (selector || ports) {
    const body = { spec: { ...(selector ? { selector } : {}), ...(ports ? { ports } : {}) } }
    await world.client.patch(services, desired.metadata, { type: 'merge', body }, { signal })
    world.log.info({ object: keyOf(desired.metadata), kind: 'Service' }, 'repair: a Service of a branch is corrected')
  }
  await apply(world, { kind: services, live, desired }, signal)
}

/** What is in the way: something of one of the names that is not this Branch's. */
const foreign = (branch: Branch, world: BranchWorld): string | undefined => {
  const names = namesOf(branch)
  const stranger = <T extends KubeObject>(what: string, name: string, store: Store<T>) => {
    const held = store.get(childKey(branch, name))
    return held && !isOwnedBy(held, branch) ? `${what} ${name}` : undefined
  }
  const claim = world.claims.get(childKey(branch, names.claim))
  return (
    stranger('StatefulSet', names.statefulSet, world.statefulSets) ??
    stranger('Service', names.service, world.services) ??
    (claim && isBeingDeleted(claim) ? `volume claim ${names.claim}` : undefined)
  )
}

/** The Secret of a Branch: the one that is there, or a new one, of which people are told where there was another before. */
const secretOf = async (branch: Branch, world: BranchWorld, signal: AbortSignal) => {
  const { secret, isNew } = await ensureSecret(world.client, branch, world.settings, { signal })
  if (isNew && branch.status.secretName === secret.metadata.name) {
    world.log.info({ object: keyOf(secret.metadata) }, 'repair: the Secret of a branch is made again, with another key')
    world.recorder.record(branches, branch, {
      type: 'Warning',
      reason: 'KeyReplaced',
      action: 'MakeSecret',
      note: `The Secret ${secret.metadata.name} was gone. There is a new one with another key, which senders have to be given.`,
    })
  }
  return secret
}

/** Makes everything as it should be, and gives how it is. */
const look = async (branch: Branch, world: BranchWorld, signal: AbortSignal): Promise<Look> => {
  const { metadata } = branch
  const slug = slugOf(branch)
  const holder = slugHolder(branch, world.branches.by(slugIndex, slug))
  if (holder)
    return {
      finding: { kind: 'slugTaken', by: keyOf(holder.metadata), isGoing: isBeingDeleted(holder) },
      told: {},
    }
  const others = world.branches.list().filter((other) => other.metadata.uid !== metadata.uid)
  const choice = choosePort(branch, others)
  if (choice.kind === 'none') return { finding: { kind: 'noPort' }, told: {} }
  if (choice.kind === 'taken')
    return { finding: { kind: 'portTaken', port: choice.port, by: keyOf(choice.by.metadata) }, told: {} }
  const stranger = foreign(branch, world)
  if (stranger) return { finding: { kind: 'nameTaken', what: stranger }, told: {} }

  const { port } = choice
  const names = namesOf(branch)
  const submitEndpoint = `${world.edgeUrl}/logs/branches/${slug}/api/glean/batch`
  const told = { port, submitEndpoint, secretName: names.secret }
  const secret = await secretOf(branch, world, signal)
  if (!isOwnedBy(secret, branch)) return { finding: { kind: 'nameTaken', what: `Secret ${names.secret}` }, told: {} }
  const service = world.services.get(childKey(branch, names.service))
  await applyService(world, { live: service, desired: serviceFor(branch, port, world.settings) }, signal)
  const live = world.statefulSets.get(childKey(branch, names.statefulSet))
  const desired = statefulSetFor(branch, { keyVersion: keyVersionOf(secret), live }, world.settings)
  const set = await apply(world, { kind: statefulSets, live, desired }, signal)
  const growth = await growVolume(branch, world.claims.get(childKey(branch, names.claim)), world, { signal })
  const pod = podOf(world, branch, set)
  const isUpdated =
    (set.status?.observedGeneration ?? 0) >= (set.metadata.generation ?? 0) &&
    pod?.metadata.labels?.['controller-revision-hash'] === set.status?.updateRevision
  return { finding: { kind: 'running', port, pod: podConditionOf(pod), isUpdated, growth }, told }
}

/** Looks, and takes a refusal for something that people have to be shown. */
const lookOrRefusal = async (branch: Branch, world: BranchWorld, signal: AbortSignal): Promise<Look> => {
  try {
    return await look(branch, world, signal)
  } catch (error) {
    if (!isRefusal(error)) throw error
    return { finding: { kind: 'refused', message: error.message }, told: {} }
  }
}

/** Tells of what has gone wrong, once, when it begins. */
const recordTrouble = (branch: Branch, finding: Finding, { recorder }: BranchWorld) => {
  const { progress, reason, message } = judge(branch, finding)
  const isNews = conditionOf(branch.status.conditions, 'Stalled')?.reason !== reason
  if (progress === 'stalled' && isNews)
    recorder.record(branches, branch, { type: 'Warning', reason, action: 'Reconcile', note: message })
}

const settle = async (branch: Branch, { finding, told }: Look, world: BranchWorld, signal: AbortSignal) => {
  const changes = statusChanges(branch.status, branchStatus(branch, { finding, told, now: world.clock.now() }))
  if (!changes) return
  recordTrouble(branch, finding, world)
  const patch = { type: 'merge', body: { status: changes } } as const
  const written = await world.client.patch(branches, branch.metadata, patch, { subresource: 'status', signal })
  world.branches.wrote(written)
}

const lookAgain = (finding: Finding, { secretsEvery = secretsLookedAt }: BranchWorld): Result => {
  const isRefused = finding.kind === 'refused' || (finding.kind === 'running' && finding.growth.kind === 'refused')
  if (isRefused) return requeueAfter(refusalLasts)
  if (finding.kind === 'nameTaken') return requeueAfter(nameTakenLasts)
  return finding.kind === 'running' ? requeueAfter(secretsEvery) : done
}

/** Makes the Secret, the Service, the StatefulSet and the volume of a Branch what it says, and its status what they are. */
export const reconcileBranch =
  (world: BranchWorld): Reconcile =>
  async (key, { signal }) => {
    const cached = world.branches.get(key)
    if (!cached || isPaused(cached)) return done
    if (isBeingDeleted(cached)) return releaseBranch(cached, world, signal)
    // Ports are given by what the statuses say: the change that this process made last comes by itself.
    if (!world.branches.isCurrent(key)) return done
    const branch = await addFinalizer(world.client, branches, cached, finalizer, { signal })
    const found = await lookOrRefusal(branch, world, signal)
    await settle(branch, found, world, signal)
    return lookAgain(found.finding, world)
  }
