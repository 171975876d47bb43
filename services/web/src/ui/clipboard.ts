import { toasts } from './toasts.svelte.ts'

/** Copies a text, and shows `done`, or why it could not be copied. */
export const toClipboard = async (text: string, done: string): Promise<void> => {
  try {
    await navigator.clipboard.writeText(text)
    toasts.show(done)
  } catch {
    toasts.show('The browser does not allow copying here: select the text instead.', { tone: 'warn' })
  }
}
