import type { SourceDraftRest } from '@trellis/protos/edge/client.ts'

const nothing: Omit<SourceDraftRest, 'id' | 'path' | 'glean_type'> = {
  transport: null,
  enabled: null,
  source_id: null,
  host: null,
  tenant_id: null,
  retention_days: null,
  format: null,
  timezone: null,
  multiline: null,
  include: [],
  exclude: [],
  recursive: null,
  units: [],
  containers: [],
  socket: null,
  ssh_target: null,
  port: null,
  user: null,
  key_path: null,
  remote_path: null,
}

/** A source that reads a file; its id is made of the path. */
export const draftOf = (path: string): SourceDraftRest => {
  const id = path
    .replace(/^\/var\/log\//, '')
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 80)
  return { ...nothing, id: id || 'file', path, glean_type: 'file' }
}
