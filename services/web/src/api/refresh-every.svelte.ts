import { untrack } from 'svelte'
import type { Resource } from './resource.svelte.ts'

/**
 * Refreshes a resource while its tab is visible and `isActive`, each time this long after the last response, or when the server permits it. Without the
 * key that it needs it is left alone, so that the dialog of the key is not opened again and again. Call it while a component is created.
 */
export const refreshEvery = (
  milliseconds: number,
  resource: Pick<Resource<unknown>, 'refresh' | 'isLoading' | 'failure'>,
  isActive: () => boolean = () => true,
): void => {
  const isRefused = $derived(resource.failure?.status === 401)
  $effect(() => {
    if (!isActive() || isRefused) return
    let timer: ReturnType<typeof setTimeout> | undefined
    let isOver = false
    const wait = () => {
      const permitted = untrack(() => resource.failure)?.facts.retryAfterSeconds ?? 0
      timer = setTimeout(refresh, Math.max(milliseconds, permitted * 1_000))
    }
    const refresh = async () => {
      if (!document.hidden && !resource.isLoading) await resource.refresh()
      if (!isOver) wait()
    }
    wait()
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  })
}
