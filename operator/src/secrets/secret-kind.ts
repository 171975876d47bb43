import { type KubeObject, resource } from '../runtime/mod.ts'

/** `data` is base64. */
export type Secret = KubeObject & { type?: string; data?: Readonly<Record<string, string>> }

export const secrets = resource<Secret>({
  group: '',
  version: 'v1',
  plural: 'secrets',
  kind: 'Secret',
  namespaced: true,
})
