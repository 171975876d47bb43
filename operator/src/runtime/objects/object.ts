/** Who made an object: the garbage collector removes it with its owner. */
export type OwnerReference = {
  apiVersion: string
  kind: string
  name: string
  uid: string
  controller?: boolean
  blockOwnerDeletion?: boolean
}

/** What every stored object says of itself. Times are text as the API sends them, RFC 3339 in UTC. */
export type ObjectMeta = {
  name: string
  namespace?: string
  uid: string
  /** Grows with every write; comparable within one kind. */
  resourceVersion: string
  /** Grows with every write of the spec. */
  generation?: number
  creationTimestamp?: string
  /** Set once deletion was asked for; the object stays while it has finalizers or is being ended gently. */
  deletionTimestamp?: string
  labels?: Readonly<Record<string, string>>
  annotations?: Readonly<Record<string, string>>
  finalizers?: readonly string[]
  ownerReferences?: readonly OwnerReference[]
}

/** An object as the API server keeps it. Kinds add `spec` and `status`. */
export type KubeObject = { apiVersion?: string; kind?: string; metadata: ObjectMeta }

/** The metadata that somebody may write: the server fills in the rest. */
export type WritableMeta = Partial<Omit<ObjectMeta, 'name'>> & ({ name: string } | { generateName: string })

/** An object to be created: what is given of T, with metadata of the caller's. */
export type Draft<T extends KubeObject> = Omit<T, 'metadata' | 'status'> & { metadata: WritableMeta }

/** Names an object of a known kind. */
export type ObjectRef = { name: string; namespace?: string }

/** `namespace/name`, or the name alone where there is no namespace: the key of stores and queues. */
export const keyOf = ({ namespace, name }: ObjectRef): string => (namespace ? `${namespace}/${name}` : name)

/** The opposite of keyOf. */
export const refOf = (key: string): ObjectRef => {
  const slash = key.indexOf('/')
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) }
}

/**
 * Compares two resourceVersions: negative, zero or positive as `a` is older, the same or newer. They are decimal numbers
 * without leading zeros, which may outgrow a double.
 */
export const compareVersions = (a: string, b: string): number =>
  a.length === b.length ? (a < b ? -1 : a > b ? 1 : 0) : a.length - b.length

/** An object without the record of who wrote which field, which is the larger part of many and of no use here. */
export const withoutManagedFields = <T extends KubeObject>(object: T): T => {
  const { managedFields: _, ...metadata } = object.metadata as T['metadata'] & { managedFields?: unknown }
  return { ...object, metadata }
}

/** Whether somebody has asked for the object's deletion. */
export const isBeingDeleted = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined
