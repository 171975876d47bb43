/** Why a container waits, in the kubelet's words: its image cannot be had, or will never be. */
export const cannotPull: ReadonlySet<string> = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'RegistryUnavailable',
  'ImageInspectError',
  'InvalidImageName',
  'ErrImageNeverPull',
])

/** It cannot be made, whatever its image. */
export const cannotStart: ReadonlySet<string> = new Set([
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
])
