/** Pods created by the operator: templates, labels, specs and caching. */
export { hashOf, type PodOverrides, podMetadata, podSpec } from './build-pod.ts'
export { annotation, commonLabels, componentOf, label, labelValue, type Workload } from './labels.ts'
export {
  type ContainerState,
  type ContainerStatus,
  type Pod,
  type PodCondition,
  podCache,
  podSelector,
  pods,
  reducePod,
} from './pod-kind.ts'
export type { Container, EnvironmentVariable, PodSpec, Probe, Toleration } from './pod-spec.ts'
export { sentence } from './sentence.ts'
export { parseWorkerTemplates, readWorkerTemplates, type WorkerTemplate, type WorkerTemplates } from './templates.ts'
export { cannotPull, cannotStart } from './waiting-reasons.ts'
