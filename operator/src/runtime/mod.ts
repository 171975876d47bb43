export {
  ApiError,
  ConnectionError,
  isAlreadyExists,
  isConflict,
  isExpired,
  isInvalid,
  isNamespaceTerminating,
  isNotFound,
  isRefused,
  NotLeader,
  type Status,
} from './client/api-error.ts'
export {
  type Client,
  type DeleteOptions,
  guardWrites,
  type ListOptions,
  type ListPage,
  type Patch,
  type RequestOptions,
  type Scale,
  type Selection,
  type WatchEvent,
  type WatchOptions,
  type WriteGuard,
  type WriteOptions,
} from './client/client.ts'
export {
  type Access,
  type ConfigSource,
  type Credentials,
  createCredentials,
  loadConfig,
} from './client/credentials.ts'
export { createHttpClient, type HttpClientOptions } from './client/http-client.ts'
export { defaultRetry, type RetryOptions } from './client/retry.ts'
export { createTransport, type Transport } from './client/transport.ts'
export { type Clock, type Random, systemClock } from './clock.ts'
export {
  type Controller,
  type ControllerOptions,
  createController,
  type Mapper,
  type Patience,
  type Reconcile,
} from './controller/controller.ts'
export { createExpectations, type Expectations } from './controller/expectations.ts'
export { whenChanged } from './controller/mappers.ts'
export { done, type Result, requeueAfter, retry, terminal } from './controller/result.ts'
export {
  createElection,
  defaultElectionTimes,
  type Election,
  type ElectionOptions,
  type ElectionTimes,
  LeadershipLost,
} from './election/election.ts'
export { createRecorder, type EventObject, events, type Occurrence, type Recorder } from './events/recorder.ts'
export { type CacheOptions, createManager, type Manager, type ManagerOptions } from './manager/manager.ts'
export { createRuntimeMetrics, type RuntimeMetrics } from './metrics.ts'
export {
  type Condition,
  type ConditionState,
  conditionOf,
  mergeConditions,
  type Progress,
  progressConditions,
  stableMessage,
} from './objects/conditions.ts'
export { addFinalizer, hasFinalizer, removeFinalizer } from './objects/finalizers.ts'
export { microTime, secondsTime } from './objects/micro-time.ts'
export { deterministicName } from './objects/names.ts'
export {
  compareVersions,
  type Draft,
  isBeingDeleted,
  type KubeObject,
  keyOf,
  type ObjectMeta,
  type ObjectRef,
  type OwnerReference,
  refOf,
  withoutManagedFields,
} from './objects/object.ts'
export { createOwned, findOwned, remove } from './objects/owned.ts'
export { controllerOf, ownerReference, toController, toSelf } from './objects/owners.ts'
export { apiVersionOf, type Lease, leases, pathOf, type Resource, resource } from './objects/resource.ts'
export {
  awaitedPriority,
  createQueue,
  freshPriority,
  type Queue,
  type QueueOptions,
  resyncPriority,
} from './queue/queue.ts'
export { createReflector, type Reflector, type ReflectorOptions } from './reflector/reflector.ts'
export { byLabel, type IndexFunction } from './store/index-by.ts'
export { type Change, type ChangeHandler, createStore, type Store, type StoreWriter } from './store/store.ts'
