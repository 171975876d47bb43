import type { Resource } from './resource.svelte.ts'

/**
 * Refreshes a resource while the tab is seen and `isWanted`, each time so long after the last answer. To be called while a component is created.
 */
export const refreshEvery = (
  milliseconds: number,
  resource: Pick<Resource<unknown>, 'refresh' | 'isLoading'>,
  isWanted: () => boolean = () => true,
): void => {
  $effect(() => {
    if (!isWanted()) return
    let timer: ReturnType<typeof setTimeout> | undefined
    let isOver = false
    const wait = () => {
      timer = setTimeout(refresh, milliseconds)
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
