/** Waiting reasons of the kubelet for an image that cannot be pulled, now or ever. */
export const cannotPull: ReadonlySet<string> = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'RegistryUnavailable',
  'ImageInspectError',
  'InvalidImageName',
  'ErrImageNeverPull',
])

/** Waiting reasons for a container that cannot be created, regardless of its image. */
export const cannotStart: ReadonlySet<string> = new Set([
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
])
