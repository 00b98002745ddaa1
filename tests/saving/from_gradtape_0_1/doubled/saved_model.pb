I
"serve*2.21.0+gradtape.0.1.0"¿: 
"
_generic_user_object