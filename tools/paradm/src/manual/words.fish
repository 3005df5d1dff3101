
# The arrays that run, their gears, and the settings.
function __fish_paradm_arrays
    for par in /sys/block/md*/md/par
        string split / $par | sed -n 4p
    end
    for link in /dev/md/*
        test -b $link; and basename $link
    end
end

function __fish_paradm_gears
    printf '%s\n' top lowest
    for gears in /sys/block/md*/md/par/gears
        string split ' ' <$gears
    end
end
