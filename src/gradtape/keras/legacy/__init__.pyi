# Written by `python tools/generate_keras_stubs.py` from Keras 3.15.1; do not edit.


from gradtape.keras.legacy import saving as saving
