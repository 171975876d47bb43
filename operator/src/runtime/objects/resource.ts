import type { KubeObject } from './object.ts'

declare const shape: unique symbol

/** A kind as the API serves it. The type parameter is the shape of its objects and exists only at compile time. */
export type Resource<T extends KubeObject = KubeObject> = {
  /** Empty for the core group. */
  group: string
  version: string
  plural: string
  kind: string
  namespaced: boolean
  readonly [shape]?: T
}

/** Declares a kind. */
export const resource = <T extends KubeObject>(description: Omit<Resource<T>, typeof shape>): Resource<T> =>
  Object.freeze({ ...description })

/** `group/version`, or only the version in the core group. */
export const apiVersionOf = ({ group, version }: Resource): string => (group === '' ? version : `${group}/${version}`)

/** The path of the collection, of one object if a name is passed, or of one of its subresources. */
export const pathOf = (
  { group, version, plural, namespaced }: Resource,
  { namespace, name, subresource }: { namespace?: string; name?: string; subresource?: string } = {},
): string => {
  if (name !== undefined && namespaced && namespace === undefined)
    throw new Error(`An object of ${plural} needs a namespace besides its name.`)
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  const within = namespaced && namespace !== undefined ? ['namespaces', namespace] : []
  const parts = [...within, plural, ...(name === undefined ? [] : [name]), ...(subresource ? [subresource] : [])]
  return `${root}/${parts.map(encodeURIComponent).join('/')}`
}

export type Lease = KubeObject & {
  spec?: {
    holderIdentity?: string
    leaseDurationSeconds?: number
    /** Times with six digits of fractional seconds. */
    acquireTime?: string
    renewTime?: string
    leaseTransitions?: number
  }
}

/** The kind that leader election reads and writes. */
export const leases = resource<Lease>({
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
  namespaced: true,
})
