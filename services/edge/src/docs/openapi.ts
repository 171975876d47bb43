/** The parts of an OpenAPI document that are used here. */
export type OpenApi = {
  info: { title: string; version: string; description?: string }
  tags: { name: string; 'x-mount': string; 'x-version': string }[]
  paths: Record<string, unknown>
  [key: string]: unknown
}

/** The part of a document for one mount, with the version of its spec. */
export const mountDocument = (document: OpenApi, mount: string): OpenApi => {
  const tags = document.tags.filter((tag) => tag['x-mount'] === mount)
  const [first] = tags
  return {
    ...document,
    info: {
      ...document.info,
      title: `${document.info.title} ${mount.slice(1)}`,
      version: first?.['x-version'] ?? document.info.version,
    },
    tags,
    paths: Object.fromEntries(Object.entries(document.paths).filter(([path]) => path.startsWith(`${mount}/`))),
  }
}
