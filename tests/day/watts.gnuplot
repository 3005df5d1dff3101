# SPDX-License-Identifier: GPL-2.0
# Watts over the day, of `data` (hours since the beginning, and a column for each
# array) to `out`, with the `shifts` above (a block for each of the `reasons`, hours as
# well). From `tell`: first, hours, and the lists names, marks and reasons.
item(list, n) = system(sprintf("echo '%s' | cut -d ';' -f %d", list, n))
items(list) = list eq '' ? 0 : int(system(sprintf("echo '%s' | tr -cd ';' | wc -c", list))) + 1

set title 'Watts of the same day on each array: par (thick), and md raid5'
set terminal svg size 1000,480 background rgb 'white' font 'sans-serif,14'
set output out
set ylabel 'watts of all disks, mean over 10 minutes'
set xlabel 'time of day'
set xrange [0:hours]
set yrange [0:*]
set offsets 0, 0, 2, 0
set grid ytics lc rgb '#dddddd'
set key outside top center horizontal
step = hours > 8 ? 2 : 1
set xtics ()
do for [i = 0:hours:step] { set xtics add (sprintf('%02d:00', (first + i) % 24) i) }
do for [i = 1:items(marks)] {
	at = real(word(item(marks, i), 1))
	set arrow from first at, graph 0 to first at, graph 1 nohead lc rgb '#888888' dt 2
	set label item(marks, i)[strlen(word(item(marks, i), 1)) + 2:*] at first at, graph 0.04 offset 0.5, 0 tc rgb '#555555'
}
# par is the thickest line, below the others, which are seen upon it where they have the same watts.
colors = '#0a7d4b #c04040 #5f8fe0 #e0a030 #9a6fc0'
widths = '6 2 1.5 2 1.5'
# Shifts up point upwards, those down downwards, in a row of their own.
is_up(reason) = reason[1:2] eq 'up'
set y2range [0:1]
shades = '#1f5fb0 #e07b00 #b0006a #555555'
plot for [i = 1:items(names)] data using 1:i + 1 with steps \
	lw real(word(widths, i)) lc rgb word(colors, i) title item(names, i), \
	for [i = 1:items(reasons)] shifts index i - 1 using 1:(is_up(item(reasons, i)) ? 0.95 : 0.9) \
	axes x1y2 with points pt (is_up(item(reasons, i)) ? 9 : 11) ps 0.9 \
	lc rgb word(shades, (i - 1) % 4 + 1) title item(reasons, i)
