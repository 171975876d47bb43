/** Where in the files port a node's audio lies. A node's folder has one writer: the run that makes the node. */
export const nodeFolder = (nodeId: string): string => `music/nodes/${nodeId}`

/** Names within a node's folder. */
const NODE_FILES = {
  upload: 'upload',
  samples: 'samples.s24le',
  overview: 'overview.s16le',
  features: 'features',
} as const

export const nodeFile = (nodeId: string, name: keyof typeof NODE_FILES): string =>
  `${nodeFolder(nodeId)}/${NODE_FILES[name]}`

/** Files made for download, of a node or a chain; each has a folder of its own, for the same reason. */
export const deliveryFolder = (ownerId: string): string => `music/delivery/${ownerId}`
