import { untrack } from 'svelte'

export type Toast = {
  id: number
  text: string
  tone: 'plain' | 'warn'
  /** A way back, while the toast is shown. */
  undo?: (() => void) | undefined
}

let shown = $state.raw<readonly Toast[]>([])
let count = 0

const visibleMilliseconds = 5_000
/** Maximum numbers of toasts with a way back, and of the others: rows are removed faster than a removal is final. */
const maxShown = { undo: 6, plain: 3 }

const dismiss = (id: number): void => {
  shown = shown.filter((toast) => toast.id !== id)
}

export const toasts = {
  get shown(): readonly Toast[] {
    return shown
  },
  dismiss,
  /** Takes back what a toast has reported. */
  undo: ({ id, undo }: Toast): void => {
    undo?.()
    dismiss(id)
  },
  /** Shows a text for some seconds. One that is shown already is announced again, in the place of the first. */
  show: (text: string, { tone = 'plain', undo }: Partial<Pick<Toast, 'tone' | 'undo'>> = {}): void => {
    count += 1
    const id = count
    const others = untrack(() => shown).filter((toast) => toast.text !== text || toast.undo !== undefined)
    const all = [...others, { id, text, tone, undo }]
    const retained = new Set([
      ...all.filter((toast) => toast.undo).slice(-maxShown.undo),
      ...all.filter((toast) => !toast.undo).slice(-maxShown.plain),
    ])
    shown = all.filter((toast) => retained.has(toast))
    setTimeout(() => dismiss(id), undo ? visibleMilliseconds + 1_000 : visibleMilliseconds)
  },
  /**
   * Removes something that can come back: it is hidden at once, `commit` runs after five seconds, or at once when the page is left, and `restore`
   * if the user undoes it or `commit` fails.
   */
  removeWithUndo: (
    text: string,
    { commit, restore }: { commit: () => Promise<unknown>; restore: () => void },
  ): void => {
    let isDecided = false
    const decide = async (): Promise<void> => {
      if (isDecided) return
      isDecided = true
      window.removeEventListener('pagehide', decide)
      try {
        await commit()
      } catch (error) {
        restore()
        toasts.show(error instanceof Error ? error.message : String(error), { tone: 'warn' })
      }
    }
    window.addEventListener('pagehide', decide)
    const timer = setTimeout(decide, visibleMilliseconds)
    toasts.show(text, {
      undo: () => {
        if (isDecided) return
        isDecided = true
        clearTimeout(timer)
        window.removeEventListener('pagehide', decide)
        restore()
      },
    })
  },
}
