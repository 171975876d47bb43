/** Location of a node's audio in the files port. A node's folder has one writer: the run that creates the node. */
export const nodeFolder = (nodeId: string): string => `music/nodes/${nodeId}`

/** Names within a node's folder. */
const nodeFiles = {
  upload: 'upload',
  samples: 'samples.s24le',
  overview: 'overview.s16le',
  features: 'features',
  /** The pulse of what the node continues, or of the upload. */
  pulse: 'pulse',
  /** Decoded audio that the node continues instead of its path. */
  input: 'input.s24le',
} as const

export const nodeFile = (nodeId: string, name: keyof typeof nodeFiles): string =>
  `${nodeFolder(nodeId)}/${nodeFiles[name]}`

/** All attempts at the stems of a node. Each has a separate folder, since a folder has one writer. */
export const stemsFolder = (nodeId: string): string => `${nodeFolder(nodeId)}/stems`

/** Stored samples of one stem in the folder of an attempt. */
export const stemFile = (folder: string, name: string): string => `${folder}/${name}.s24le`

/** The node whose samples a key refers to; undefined for other keys. */
export const samplesOwner = (key: string): string | undefined =>
  /^music\/nodes\/([^/]+)\/samples\.s24le$/.exec(key)?.[1]

/** Audio that an administrator of the file store puts there for generations to continue. */
export const inputsFolder = 'music/inputs'

/** All files made for download. */
export const deliveriesFolder = 'music/delivery'

/** Downloads of a node or a chain; each has a separate folder, for the same reason. */
export const deliveryFolder = (ownerId: string): string => `${deliveriesFolder}/${ownerId}`
