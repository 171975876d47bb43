/** The owner of an object: the garbage collector removes the object with its owner. */
export type OwnerReference = {
  apiVersion: string
  kind: string
  name: string
  uid: string
  controller?: boolean
  blockOwnerDeletion?: boolean
}

/** Metadata of every stored object. Times are text as the API sends them, RFC 3339 in UTC. */
export type ObjectMeta = {
  name: string
  namespace?: string
  uid: string
  /** Grows with every write; comparable within one kind. */
  resourceVersion: string
  /** Grows with every write of the spec. */
  generation?: number
  creationTimestamp?: string
  /** Set once deletion was requested; the object remains while it has finalizers or its grace period runs. */
  deletionTimestamp?: string
  labels?: Readonly<Record<string, string>>
  annotations?: Readonly<Record<string, string>>
  finalizers?: readonly string[]
  ownerReferences?: readonly OwnerReference[]
}

/** An object as the API server stores it. Kinds add `spec` and `status`. */
export type KubeObject = { apiVersion?: string; kind?: string; metadata: ObjectMeta }

/** The metadata that clients may write: the server fills in the rest. */
export type WritableMeta = Partial<Omit<ObjectMeta, 'name'>> & ({ name: string } | { generateName: string })

/** An object to create: the fields of T except status, with writable metadata. */
export type Draft<T extends KubeObject> = Omit<T, 'metadata' | 'status'> & { metadata: WritableMeta }

/** Identifies an object of a known kind. */
export type ObjectRef = { name: string; namespace?: string }

/** `namespace/name`, or only the name if there is no namespace: the key of stores and queues. */
export const keyOf = ({ namespace, name }: ObjectRef): string => (namespace ? `${namespace}/${name}` : name)

/** The inverse of keyOf. */
export const refOf = (key: string): ObjectRef => {
  const slash = key.indexOf('/')
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) }
}

/**
 * Compares two resourceVersions: negative, zero or positive if `a` is older, equal or newer. They are decimal numbers
 * without leading zeros, which may exceed a double's precision.
 */
export const compareVersions = (a: string, b: string): number =>
  a.length === b.length ? (a < b ? -1 : a > b ? 1 : 0) : a.length - b.length

/** Drops the record of which manager wrote which field: often the largest part of an object, and unused here. */
export const withoutManagedFields = <T extends KubeObject>(object: T): T => {
  const { managedFields: _, ...metadata } = object.metadata as T['metadata'] & { managedFields?: unknown }
  return { ...object, metadata }
}

/** Whether the object's deletion was requested. */
export const isBeingDeleted = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined
