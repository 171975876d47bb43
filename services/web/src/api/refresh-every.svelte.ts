import type { Resource } from './resource.svelte.ts'

/**
 * Refreshes a resource while its tab is visible and `isActive`, each time this long after the last response. Call it while a component is created.
 */
export const refreshEvery = (
  milliseconds: number,
  resource: Pick<Resource<unknown>, 'refresh' | 'isLoading'>,
  isActive: () => boolean = () => true,
): void => {
  $effect(() => {
    if (!isActive()) return
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
