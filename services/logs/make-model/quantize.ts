/** A matrix as 8-bit integers with a factor per column: `weight ≈ data · scale`, symmetric around zero. */
export const quantizeColumns = ({ shape: [rows = 0, columns = 0], data }: { shape: number[]; data: Float32Array }) => {
  const scales = new Float32Array(columns)
  for (let index = 0; index < data.length; index++) {
    const column = index % columns
    scales[column] = Math.max(scales[column] ?? 0, Math.abs(data[index] ?? 0) / 127)
  }
  const rounded = new Int8Array(rows * columns)
  for (let index = 0; index < data.length; index++) {
    const scale = scales[index % columns] ?? 0
    rounded[index] = scale === 0 ? 0 : Math.round((data[index] ?? 0) / scale)
  }
  return { data: rounded, scales }
}
