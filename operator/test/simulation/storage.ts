import { isDeepStrictEqual } from 'node:util'
import {
  ApiError,
  type Clock,
  type Draft,
  isBeingDeleted,
  type KubeObject,
  keyOf,
  type ObjectMeta,
  type ObjectRef,
  type Patch,
  type Resource,
  secondsTime,
} from '../../src/runtime/mod.ts'
import { deepFreeze } from '../../src/runtime/store/deep-freeze.ts'
import { applyPatch } from './apply-patch.ts'

/** A committed change. `by` names the process that requested it; it is empty for the user and the cluster. */
export type Commit = {
  type: 'ADDED' | 'MODIFIED' | 'DELETED'
  resource: Resource
  object: KubeObject
  revision: number
  by: string
}

/** The authoritative objects of the simulated cluster, with the write rules of the API server. */
export type Storage = {
  list: <T extends KubeObject>(resource: Resource<T>, namespace?: string) => T[]
  get: <T extends KubeObject>(resource: Resource<T>, ref: ObjectRef) => T
  create: <T extends KubeObject>(resource: Resource<T>, object: Draft<T>, by?: string) => T
  update: <T extends KubeObject>(resource: Resource<T>, object: T, write?: Write) => T
  patch: <T extends KubeObject>(resource: Resource<T>, ref: ObjectRef, patch: Patch, write?: Write) => T
  delete: (resource: Resource, ref: ObjectRef, how?: Deletion) => void
  revision: () => number
  /** The changes of a kind after a revision. Throws 410 if they are compacted. */
  changesSince: (resource: Resource, revision: number) => readonly Commit[]
  /** Discards the history of changes. */
  compact: () => void
  onCommit: (handler: (commit: Commit) => void) => void
}

export type Write = { subresource?: 'status' | 'scale' | undefined; by?: string }

export type Deletion = {
  preconditions?: { uid?: string; resourceVersion?: string } | undefined
  /** `Foreground` retains the object until all its dependents are deleted. */
  propagationPolicy?: 'Background' | 'Foreground' | 'Orphan' | undefined
  by?: string
}

/** The finalizer of an object whose deletion waits for its dependents. */
const foregroundDeletion = 'foregroundDeletion'

/** Draws the milliseconds from the deletion request of an object to its end; undefined for kinds that are deleted at once. */
export type Terminating = (resource: Resource) => (() => number) | undefined

type Body = Record<string, unknown> & KubeObject

const refusal = (status: number, reason: string, message: string) => new ApiError(status, { reason, message })

/** Mutates an object before it is stored, like defaulting in the API server. */
export type Admit = (resource: Resource, object: object) => object

export const createStorage = (
  clock: Clock,
  terminating: Terminating,
  draw: () => number,
  admit: Admit = (_, object) => object,
): Storage => {
  const kinds = new Map<string, { objects: Map<string, Body>; history: Commit[] }>()
  const resources = new Map<string, Resource>()
  /** Uids of objects that have ended and are retained only by their finalizers. */
  const ended = new Set<string>()
  /** Uids of deleted objects. */
  const gone = new Set<string>()
  /** Objects in foreground deletion, by uid. */
  const lingering = new Map<string, { resource: Resource; ref: ObjectRef }>()
  const handlers: ((commit: Commit) => void)[] = []
  let revision = 1
  let compacted = 0
  let made = 0

  const kindOf = (resource: Resource) => {
    const name = `${resource.group}/${resource.plural}`
    const kind = kinds.get(name) ?? { objects: new Map<string, Body>(), history: [] as Commit[] }
    kinds.set(name, kind)
    return kind
  }

  const find = (resource: Resource, ref: ObjectRef): Body => {
    const object = kindOf(resource).objects.get(keyOf(ref))
    if (!object) throw refusal(404, 'NotFound', `${resource.plural} "${ref.name}" not found`)
    return object
  }

  const commit = (type: Commit['type'], resource: Resource, body: Body, by: string): Body => {
    revision += 1
    const object = deepFreeze({ ...body, metadata: { ...body.metadata, resourceVersion: String(revision) } })
    const { objects, history } = kindOf(resource)
    if (type === 'DELETED') objects.delete(keyOf(object.metadata))
    else objects.set(keyOf(object.metadata), object)
    const committed = { type, resource, object, revision, by }
    history.push(committed)
    for (const handler of handlers) handler(committed)
    if (type === 'DELETED') {
      gone.add(object.metadata.uid)
      collect(object.metadata.uid)
    }
    for (const { uid } of object.metadata.ownerReferences ?? []) {
      // A request can arrive after its owner was deleted.
      if (lingering.has(uid) || (type !== 'DELETED' && gone.has(uid))) collect(uid)
    }
    return object
  }

  /** Simulates the garbage collector: deletes the dependents of an owner after a random delay. */
  const collect = (owner: string) => {
    clock.after(draw() * 2_000, () => {
      let found = 0
      for (const [name, { objects }] of kinds) {
        for (const dependent of [...objects.values()]) {
          if (!dependent.metadata.ownerReferences?.some(({ uid }) => uid === owner)) continue
          found += 1
          const resource = resources.get(name)
          if (resource) remove(resource, dependent, {})
        }
      }
      const waiting = found === 0 ? lingering.get(owner) : undefined
      if (waiting) released(owner, waiting)
    })
  }

  /** Removes the foreground-deletion finalizer of an object. */
  const released = (uid: string, { resource, ref }: { resource: Resource; ref: ObjectRef }) => {
    lingering.delete(uid)
    const held = kindOf(resource).objects.get(keyOf(ref))
    if (held?.metadata.uid !== uid) return
    const finalizers = (held.metadata.finalizers ?? []).filter((name) => name !== foregroundDeletion)
    write(resource, held, { ...held, metadata: { ...held.metadata, finalizers } }, {})
  }

  const remove = (resource: Resource, object: Body, { by = '', propagationPolicy }: Deletion) => {
    const { metadata } = object
    const rest = terminating(resource)
    const isForeground = propagationPolicy === 'Foreground'
    const finalizers = [...(metadata.finalizers ?? []), ...(isForeground ? [foregroundDeletion] : [])]
    if (isBeingDeleted(object)) return
    if (finalizers.length === 0 && !rest) {
      commit('DELETED', resource, object, by)
      return
    }
    const deletionTimestamp = secondsTime(clock.now())
    const retained = finalizers.length > 0 ? { finalizers } : {}
    commit('MODIFIED', resource, { ...object, metadata: { ...metadata, ...retained, deletionTimestamp } }, by)
    if (rest) clock.after(rest(), () => finish(resource, metadata))
    if (!isForeground) return
    lingering.set(metadata.uid, { resource, ref: metadata })
    collect(metadata.uid)
  }

  /** Marks a terminating object as ended, and deletes it unless finalizers retain it. */
  const finish = (resource: Resource, { uid, ...ref }: ObjectMeta) => {
    const object = kindOf(resource).objects.get(keyOf(ref))
    if (object?.metadata.uid !== uid) return
    ended.add(uid)
    if ((object.metadata.finalizers ?? []).length === 0) commit('DELETED', resource, object, '')
  }

  const checkVersion = (resource: Resource, held: Body, desired: Partial<ObjectMeta> | undefined) => {
    const isOther =
      (desired?.resourceVersion !== undefined && desired.resourceVersion !== held.metadata.resourceVersion) ||
      (desired?.uid !== undefined && desired.uid !== held.metadata.uid)
    if (isOther) throw refusal(409, 'Conflict', `${resource.plural} "${held.metadata.name}" has been modified`)
  }

  const write = (resource: Resource, held: Body, next: Body, { subresource, by = '' }: Write): Body => {
    checkVersion(resource, held, next.metadata)
    const { status, metadata, ...rest } = next
    const { status: heldStatus, metadata: heldMeta, ...heldRest } = held
    const isStatus = subresource === 'status'
    const content: Record<string, unknown> = isStatus ? { ...heldRest, status } : { ...rest, status: heldStatus }
    const isSpecNew = !isDeepStrictEqual(content.spec, held.spec)
    const { uid, creationTimestamp, deletionTimestamp, generation = 1 } = heldMeta
    const retained = {
      ...(isStatus ? heldMeta : metadata),
      uid,
      resourceVersion: heldMeta.resourceVersion,
      generation: generation + (isSpecNew ? 1 : 0),
      ...(creationTimestamp ? { creationTimestamp } : {}),
      ...(deletionTimestamp ? { deletionTimestamp } : {}),
    }
    const body = JSON.parse(JSON.stringify({ ...content, metadata: retained })) as Body
    // A write that changes nothing is not stored and produces no event.
    if (isDeepStrictEqual(body, held)) return held
    const hasEnded = !terminating(resource) || ended.has(uid)
    const isReleased = isBeingDeleted(body) && (retained.finalizers ?? []).length === 0 && hasEnded
    return commit(isReleased ? 'DELETED' : 'MODIFIED', resource, body, by)
  }

  const create = <T extends KubeObject>(resource: Resource<T>, object: Draft<T>, by = ''): T => {
    resources.set(`${resource.group}/${resource.plural}`, resource)
    made += 1
    const { metadata } = object
    const name = 'name' in metadata ? metadata.name : `${metadata.generateName}${made}`
    if (kindOf(resource).objects.has(keyOf({ ...metadata, name })))
      throw refusal(409, 'AlreadyExists', `${resource.plural} "${name}" already exists`)
    const body = JSON.parse(JSON.stringify(admit(resource, object))) as Body
    body.metadata = {
      ...body.metadata,
      name,
      uid: `uid-${made}`,
      resourceVersion: '',
      generation: 1,
      creationTimestamp: secondsTime(clock.now()),
    }
    return commit('ADDED', resource, body, by) as unknown as T
  }

  return {
    list: <T extends KubeObject>(resource: Resource<T>, namespace?: string) =>
      [...kindOf(resource).objects.values()].filter(
        ({ metadata }) => namespace === undefined || metadata.namespace === namespace,
      ) as unknown[] as T[],
    get: <T extends KubeObject>(resource: Resource<T>, ref: ObjectRef) => find(resource, ref) as unknown as T,
    create,
    update: <T extends KubeObject>(resource: Resource<T>, object: T, options: Write = {}) =>
      write(resource, find(resource, object.metadata), object as unknown as Body, options) as unknown as T,
    patch: <T extends KubeObject>(resource: Resource<T>, ref: ObjectRef, patch: Patch, options: Write = {}) => {
      const isMissing = !kindOf(resource).objects.has(keyOf(ref))
      if (isMissing && patch.type === 'apply') {
        const body = patch.body as Draft<T>
        return create(resource, { ...body, metadata: { ...body.metadata, ...ref } }, options.by)
      }
      const held = find(resource, ref)
      return write(resource, held, applyPatch(held, patch) as Body, options) as unknown as T
    },
    delete: (resource, ref, how = {}) => {
      const held = find(resource, ref)
      checkVersion(resource, held, how.preconditions)
      remove(resource, held, how)
    },
    revision: () => revision,
    changesSince: (resource, from) => {
      if (from < compacted) throw refusal(410, 'Expired', `too old resource version: ${from} (${compacted})`)
      return kindOf(resource).history.filter((change) => change.revision > from)
    },
    compact: () => {
      compacted = revision
      for (const { history } of kinds.values()) history.length = 0
    },
    onCommit: (handler) => void handlers.push(handler),
  }
}
