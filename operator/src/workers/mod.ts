/** The pods that the operator makes: what they are made from, how they are labelled and built, and how they are cached. */
export { hashOf, type PodOverrides, podMetadata, podSpec } from './build-pod.ts'
export { annotation, commonLabels, componentOf, label, labelValue, type Workload } from './labels.ts'
export {
  type ContainerState,
  type ContainerStatus,
  keepOfPod,
  type Pod,
  type PodCondition,
  podCache,
  podSelector,
  pods,
} from './pod-kind.ts'
export type { Container, EnvironmentVariable, PodSpec, Probe, Toleration } from './pod-spec.ts'
export { parseWorkerTemplates, readWorkerTemplates, type WorkerTemplate, type WorkerTemplates } from './templates.ts'
export { cannotPull, cannotStart } from './waiting-reasons.ts'
