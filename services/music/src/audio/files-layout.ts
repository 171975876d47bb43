/** Where in the files port a node's audio lies. A node's folder has one writer: the run that makes the node. */
export const nodeFolder = (nodeId: string): string => `music/nodes/${nodeId}`

/** Names within a node's folder. */
const NODE_FILES = {
  upload: 'upload',
  samples: 'samples.s24le',
  overview: 'overview.s16le',
  features: 'features',
  /** What the node continues in place of its path, decoded. */
  input: 'input.s24le',
} as const

export const nodeFile = (nodeId: string, name: keyof typeof NODE_FILES): string =>
  `${nodeFolder(nodeId)}/${NODE_FILES[name]}`

/** The node whose samples lie under a key, if it is one of those. */
export const samplesOwner = (key: string): string | undefined =>
  /^music\/nodes\/([^/]+)\/samples\.s24le$/.exec(key)?.[1]

/** Audio that an administrator of the file store places there for generations to continue. */
export const INPUTS_FOLDER = 'music/inputs'

/** All files made for download. */
export const DELIVERIES_FOLDER = 'music/delivery'

/** Files made for download, of a node or a chain; each has a folder of its own, for the same reason. */
export const deliveryFolder = (ownerId: string): string => `${DELIVERIES_FOLDER}/${ownerId}`
