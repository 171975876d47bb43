import {
  type Controller,
  createController,
  createExpectations,
  createReflector,
  createStore,
  type Draft,
  deterministicName,
  done,
  isAlreadyExists,
  isBeingDeleted,
  isNotFound,
  type KubeObject,
  keyOf,
  ownerReference,
  type Reconcile,
  type Reflector,
  refOf,
  requeueAfter,
  resource,
  type Store,
  toController,
  toSelf,
} from '../../../src/runtime/mod.ts'
import type { Surroundings } from '../mod.ts'

/** An example kind with a desired number of members. */
export type Crowd = KubeObject & { spec: { replicas: number }; status?: { replicas: number } }

/** A member of a crowd. Its deletion takes a while, like a pod's. */
export type Member = KubeObject

export const crowds = resource<Crowd>({
  group: 'example.test',
  version: 'v1',
  plural: 'crowds',
  kind: 'Crowd',
  namespaced: true,
})

export const members = resource<Member>({
  group: 'example.test',
  version: 'v1',
  plural: 'members',
  kind: 'Member',
  namespaced: true,
})

/** The precautions of the reconciler. Each can be disabled to see the failure that it prevents. */
export type Precautions = {
  /** Member names derive from their ordinals; otherwise the server generates names. */
  deterministicNames: boolean
  /** Members are not counted while the cache is behind the controller's own writes. */
  expectations: boolean
}

export const careful: Precautions = { deterministicNames: true, expectations: true }

type CrowdDependencies = Surroundings & { crowds: Store<Crowd>; members: Store<Member> }

const memberNames = (crowd: Crowd): string[] =>
  Array.from({ length: crowd.spec.replicas }, (_, ordinal) =>
    deterministicName([crowd.metadata.name, crowd.metadata.uid, String(ordinal)]),
  )

/** Maintains a crowd's desired number of members: never more at any instant, eventually no fewer. */
const reconcileCrowd = (dependencies: CrowdDependencies, precautions: Precautions): Reconcile => {
  const { client, clock } = dependencies
  const expectations = createExpectations({ clock })
  dependencies.members.onChange(expectations.observe)

  const create = async (crowd: Crowd, name: string | undefined) => {
    const key = keyOf(crowd.metadata)
    const namespace = crowd.metadata.namespace ?? ''
    const child = name === undefined ? undefined : keyOf({ namespace, name })
    const metadata = {
      ...(name === undefined ? { generateName: `${crowd.metadata.name}-` } : { name }),
      namespace,
      ownerReferences: [ownerReference(crowds, crowd)],
    }
    if (child !== undefined && precautions.expectations) expectations.expectCreation(key, child)
    try {
      const made = await client.create(members, { metadata } as Draft<Member>)
      if (child === undefined && precautions.expectations && !dependencies.members.get(keyOf(made.metadata)))
        expectations.expectCreation(key, keyOf(made.metadata))
    } catch (error) {
      if (child !== undefined) expectations.withdraw(child)
      // The member exists already, and the cache will report it.
      if (!isAlreadyExists(error)) throw error
    }
  }

  const remove = async (crowd: Crowd, { metadata }: Member) => {
    const key = keyOf(crowd.metadata)
    if (precautions.expectations) expectations.expectDeletion(key, metadata.uid)
    try {
      await client.delete(members, metadata, { preconditions: { uid: metadata.uid } })
    } catch (error) {
      expectations.withdraw(metadata.uid)
      if (!isNotFound(error)) throw error
    }
  }

  return async (key) => {
    const crowd = dependencies.crowds.get(key)
    if (!crowd) {
      expectations.drop(key)
      return done
    }
    if (isBeingDeleted(crowd)) return done
    if (!expectations.fulfilled(key)) return requeueAfter(expectations.expiresIn(key))

    const present = dependencies.members.by('owner', crowd.metadata.uid)
    const names = memberNames(crowd)
    const staying = present.filter((member) => !isBeingDeleted(member))
    if (precautions.deterministicNames) {
      const taken = new Set(present.map(({ metadata }) => metadata.name))
      for (const name of names) if (!taken.has(name)) await create(crowd, name)
      for (const member of staying) if (!names.includes(member.metadata.name)) await remove(crowd, member)
    } else {
      for (let missing = crowd.spec.replicas - present.length; missing > 0; missing -= 1) await create(crowd, undefined)
      for (const member of staying.slice(crowd.spec.replicas)) await remove(crowd, member)
    }
    if (crowd.status?.replicas !== staying.length) {
      const status = { replicas: staying.length }
      await client.patch(crowds, refOf(key), { type: 'merge', body: { status } }, { subresource: 'status' })
    }
    return done
  }
}

/** Runs the crowd controller with its reflectors until the signal is aborted. */
export const runCrowdController = (
  surroundings: Surroundings,
  {
    signal,
    precautions = careful,
    relistAfter,
  }: { signal: AbortSignal; precautions?: Precautions; relistAfter?: number },
): { controller: Controller; reflectors: Reflector[]; ended: Promise<void> } => {
  const dependencies = {
    ...surroundings,
    crowds: createStore<Crowd>({ freeze: true }),
    members: createStore<Member>({ freeze: true }),
  }
  const parts = { ...surroundings, pageSize: 3, ...(relistAfter === undefined ? {} : { relistAfter }) }
  const reflectors = [
    createReflector({ ...parts, name: 'crowds', resource: crowds, store: dependencies.crowds }),
    createReflector({ ...parts, name: 'members', resource: members, store: dependencies.members }),
  ]
  const reconcile = reconcileCrowd(dependencies, precautions)
  const controller = createController({ ...surroundings, name: 'crowds', reconcile, workers: 2 })
  controller.watch(dependencies.crowds, toSelf)
  controller.watch(dependencies.members, toController(crowds))
  const run = async () => {
    const reflecting = reflectors.map((reflector) => reflector.run(signal))
    await Promise.all(reflectors.map((reflector) => reflector.synced()))
    await controller.run(signal)
    await Promise.all(reflecting)
  }
  return { controller, reflectors, ended: run() }
}
