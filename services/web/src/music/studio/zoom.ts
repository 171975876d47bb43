/** How many times a waveform can be larger than the whole. */
export const maxZoom = 64

/** The zoom after some steps, each of which doubles or halves it. */
export const zoomedBy = (zoom: number, steps: number): number => Math.min(maxZoom, Math.max(1, zoom * 2 ** steps))

/** How many peaks of each node a zoom needs. Few steps, so that zooming seldom loads; the largest answer has 130 KB. */
export const pointsAt = (zoom: number): number => (zoom <= 1 ? 1_200 : zoom <= 4 ? 4_800 : 10_000)
