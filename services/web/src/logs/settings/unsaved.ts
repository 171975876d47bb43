import type { SettingsRest } from '@trellis/protos/edge/client.ts'

let changes: Partial<SettingsRest> = {}

/** Settings that were typed and not saved when the page was left. They are lost with the document, since they may be secrets. */
export const unsaved = {
  get: (): Partial<SettingsRest> => changes,
  set: (next: Partial<SettingsRest>): void => {
    changes = next
  },
}
