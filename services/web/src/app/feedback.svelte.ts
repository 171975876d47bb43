import { call } from '../api/client.ts'
import { facts } from '../url/facts.ts'

let isEnabled = $state(false)
let isOpen = $state(false)

/** The dialog for feedback. It is offered only where the installation has a tracker that takes it. */
export const feedback = {
  get isEnabled(): boolean {
    return isEnabled
  },
  get isOpen(): boolean {
    return isOpen
  },
  set isOpen(next: boolean) {
    isOpen = next
  },
  check: async (): Promise<void> => {
    if (!facts.mounts.includes('/listings')) return
    try {
      isEnabled = (await call('GET /listings/api/feedback/status')).enabled
    } catch {
      // Without an answer it is not offered.
    }
  },
}
