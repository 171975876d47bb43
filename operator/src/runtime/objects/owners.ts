import type { Mapper } from '../controller/controller.ts'
import { type KubeObject, keyOf, type OwnerReference } from './object.ts'
import { apiVersionOf, type Resource } from './resource.ts'

/**
 * A reference that makes `owner` the controller of the object that carries it; in a foreground deletion, the owner
 * waits for that object.
 */
export const ownerReference = <T extends KubeObject>(resource: Resource<T>, owner: T): OwnerReference => ({
  apiVersion: apiVersionOf(resource),
  kind: resource.kind,
  name: owner.metadata.name,
  uid: owner.metadata.uid,
  controller: true,
  blockOwnerDeletion: true,
})

/** The reference to an object's controller, of which there is at most one. */
export const controllerOf = ({ metadata }: KubeObject): OwnerReference | undefined =>
  metadata.ownerReferences?.find(({ controller }) => controller === true)

const isOf = ({ group, kind }: Resource, owner: OwnerReference): boolean => {
  const slash = owner.apiVersion.indexOf('/')
  return owner.kind === kind && (slash < 0 ? '' : owner.apiVersion.slice(0, slash)) === group
}

/** Maps changes of an object to its own key. */
export const toSelf: Mapper<KubeObject> = ({ object }) => [keyOf(object.metadata)]

/** Maps changes of owned objects to their current and previous controllers. Owners are in the same namespace. */
export const toController =
  (resource: Resource): Mapper<KubeObject> =>
  (change) => {
    const objects = change.type === 'changed' ? [change.object, change.previous] : [change.object]
    const keys = objects.flatMap((object) => {
      const owner = controllerOf(object)
      if (!owner || !isOf(resource, owner)) return []
      const { namespace } = object.metadata
      return [keyOf({ name: owner.name, ...(resource.namespaced && namespace ? { namespace } : {}) })]
    })
    return [...new Set(keys)]
  }
