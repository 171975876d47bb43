import type { NodeRest } from '@trellis/protos/edge/client.ts'
import { matchedGains } from '../../audio/loudness.ts'
import type { Player } from '../../audio/player.svelte.ts'
import { type Segment, totalSeconds } from '../../audio/segments.ts'
import { partnerOf, pathTo } from '../parts/tree.ts'

/** How many seconds around a seam are played. */
const seamSeconds = 3
const maxPlayed = 20

type Dependencies = {
  nodes: () => readonly NodeRest[]
  selected: () => string
  /** The take that the address names to compare with, or ''. */
  chosen: () => string
  segmentOf: (node: NodeRest) => Segment
  onswitch: (audible: string, other: string) => void
}
type Pair = { ids: readonly [string, string]; audible: 0 | 1 }

/**
 * Plays takes: one alone, its seam, or two at once, of which one is audible. Both of a pair run on one clock with all that precedes them, so that
 * switching keeps the position, and are equally loud, because the louder one would seem the better one.
 */
export const createAudition = (player: Player, { nodes, selected, chosen, segmentOf, onswitch }: Dependencies) => {
  let pair = $state.raw<Pair | undefined>(undefined)
  /** The latest first. */
  let played = $state.raw<readonly string[]>([])
  const nodeOf = (id: string) => nodes().find(({ node_id: known }) => known === id)
  const pathOf = (id: string): Segment[] => pathTo(nodes(), id).map(segmentOf)
  const seamOf = (id: string): number => totalSeconds(pathOf(id).slice(0, -1))
  const note = (id: string): void => {
    played = [id, ...played.filter((known) => known !== id)].slice(0, maxPlayed)
  }
  const running = $derived(player.what === 'compare' ? pair : undefined)

  /** The audible take, and where: in seconds from the beginning of the piece. */
  const current = (): { id: string; at: number } | undefined => {
    const { what, position } = player
    if (what === undefined) return undefined
    if (running) return { id: running.ids[running.audible], at: position }
    if (what.startsWith('seam ')) return { id: what.slice('seam '.length), at: position }
    return nodeOf(what) ? { id: what, at: seamOf(what) + position } : undefined
  }
  const gainsOf = ({ ids, audible: index }: Pair): number[] =>
    matchedGains(ids.map((id) => nodeOf(id)?.loudness_lufs ?? null)).map((gain, each) => (each === index ? gain : 0))

  const start = (next: Pair, from: number): void => {
    const id = next.ids[next.audible]
    const seam = seamOf(id)
    // The other take may be shorter than the position.
    const at = from < totalSeconds(pathOf(id)) ? from : seam
    pair = next
    const gains = gainsOf(next)
    void player.playTogether(
      'compare',
      next.ids.map((each, index) => ({ segments: pathOf(each), gain: gains[index] ?? 0 })),
      at,
    )
  }
  const partner = $derived(partnerOf(nodes(), selected(), { chosen: chosen(), played }))

  return {
    /** The pair that is compared now. */
    get pair() {
      return running
    },
    /** Switches to the other take at the same position; starts before the seam if nothing plays. */
    switch: (): void => {
      const now = current()
      const other = running?.audible === 0 ? 1 : 0
      // While two are compared, the other one; or the selected one, if it is the other one.
      if (running && (now?.id === selected() || running.ids[other] === selected())) {
        const next: Pair = { ids: running.ids, audible: other }
        const id = next.ids[next.audible]
        if (player.position < totalSeconds(pathOf(id))) {
          pair = next
          player.setGains(gainsOf(next))
        } else start(next, player.position)
        note(id)
        onswitch(id, running.ids[running.audible])
        return
      }
      if (partner === undefined) return
      // What plays goes on as the other one; a take that was selected meanwhile plays itself.
      const isPlaying = now?.id === selected()
      const next: Pair = { ids: [selected(), partner], audible: isPlaying ? 1 : 0 }
      start(next, now?.at ?? Math.max(0, seamOf(selected()) - seamSeconds))
      for (const id of isPlaying ? next.ids : next.ids.toReversed()) note(id)
      onswitch(next.ids[next.audible], next.ids[next.audible === 0 ? 1 : 0])
    },
    playTake: (node: NodeRest): void => {
      note(node.node_id)
      player.toggle(node.node_id, [segmentOf(node)])
    },
    playSeam: (node: NodeRest): void => {
      note(node.node_id)
      const path = pathOf(node.node_id)
      const seam = seamOf(node.node_id)
      player.toggle(
        `seam ${node.node_id}`,
        path,
        Math.max(0, seam - seamSeconds),
        Math.min(totalSeconds(path), seam + seamSeconds),
      )
    },
  }
}
