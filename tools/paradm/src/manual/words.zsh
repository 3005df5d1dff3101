# The arrays that run, their gears, and the settings.
_paradm_arrays() {
    local -a arrays
    arrays=(/sys/block/md*/md/par(N:h:h:t) /dev/md/*(N-%b:t))
    compadd "$@" -a arrays
}

_paradm_gears() {
    local -a files
    files=(/sys/block/md*/md/par/gears(N))
    compadd "$@" top lowest ${=files:+$(cat $files)}
}

_paradm_settings() {
    compadd "$@" -S '' @SETTINGS@
}

